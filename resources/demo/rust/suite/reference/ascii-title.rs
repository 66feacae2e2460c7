{
    // SAFETY: only ASCII letters are exchanged for ASCII letters, so the text stays UTF-8.
    let bytes = unsafe { text.as_bytes_mut() };
    let mut first = true;
    for byte in bytes {
        let letter = byte.is_ascii_alphabetic();
        if letter {
            *byte = if first {
                byte.to_ascii_uppercase()
            } else {
                byte.to_ascii_lowercase()
            };
        }
        first = !(letter || byte.is_ascii_digit() || *byte >= 0x80);
    }
}