# Runs one program on many inputs, each in a fresh forked child: the trusted half of a sandbox, sent in as one compiled module.
#
# This process never executes the program: it compiles it once and forks a child an input, so that whatever the program does (at import
# too) ends with that child. It is process 1 of its own pid namespace where there is a sandbox: no child can signal it, and after every
# input it kills all that is left. It holds one input at a time and never an expected value.
#
# What is here runs a thousand times a second, and what it costs is mostly pages: the first write to one after a fork, on either side,
# copies it, and in Python to look at an object is to write to it. So the common way is short and flat, and modules are few: `posix` is
# what `os` is made of, without the milliseconds that `os` takes to load.
#
# Wire: a message is a 4-byte big-endian length and that many bytes.
# In:  the setup, as fields of a 4-byte length and its bytes each (see setup.py); then for each input 16 bytes of nonce and its text.
# Out: a line of words and then bytes. `ready`; then `compiled`, or `build_failed REASON` and text; then for each input
#      `ended EXIT WALL_US CPU_US CUT KILLED RESULT_BYTES`, what came on the result channel and what was printed.
# A child's result: `a` once it is about to execute the program, then one frame: the nonce, a line `OUTCOME REASON VALUE_BYTES
#      DETAIL_BYTES`, value, detail. A word that there is not is `-`. All of it is judged outside.
import posix


def message(line, *rest):
    data = b''.join((line, b'\n', *rest))
    return len(data).to_bytes(4, 'big') + data


def unpack(data):
    fields, at = [], 0
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], 'big')
        fields.append(data[at + 4 : at + 4 + size])
        at += 4 + size
    return fields


def send(fd, data, write=posix.write):
    while data:
        data = data[write(fd, data) :]


def receive(fd, read=posix.read):
    """One message, or None at the end. Reads not a byte beyond it, so that no child inherits an input not its own."""
    head = read(fd, 4)
    if len(head) < 4:
        head = exactly(fd, 4, head)
        if head is None:
            return None
    size = int.from_bytes(head, 'big')
    data = read(fd, size)
    return data if len(data) == size else exactly(fd, size, data)


def exactly(fd, count, data):
    while len(data) < count:
        part = posix.read(fd, min(count - len(data), 1 << 20))
        if not part:
            return None
        data += part
    return data
