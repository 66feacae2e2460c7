const nouns =
  'span line row cell node edge table field token slot page block entry level depth index total count width price amount limit batch queue frame chunk label group range score digit letter word rest head tail left right upper lower first second last next'.split(
    ' ',
  )
const verbs =
  'merge split trim fold scan pick drop push find mark clamp shift count walk join pack read take skip rank'.split(
    ' ',
  )

/** A small generator of numbers from 0 to 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

type Random = () => number
const pick = <T>(random: Random, items: readonly T[]): T => items[Math.floor(random() * items.length)] as T

/** A function that nobody wrote, with comments, in the shapes that code has. */
export function inventFunction(random: Random): { name: string; text: string; body: string } {
  // Two words a name: code has thousands of names, not fifty.
  const noun = () => `${pick(random, nouns)}_${pick(random, nouns)}`
  const name = `${pick(random, verbs)}_${noun()}`
  const lines = Array.from({ length: 4 + Math.floor(random() * 5) }, () => statement(random, noun))
  const body = `{\n    let mut ${noun()} = ${Math.floor(random() * 90)};\n${lines.join('\n')}\n    ${noun()}\n}`
  return {
    name,
    body,
    text: `/// ${prose(random, 8)}\npub fn ${name}(${noun()}: &[i64], ${noun()}: usize) -> i64 ${body}\n`,
  }
}

function statement(random: Random, noun: () => string): string {
  const [a, b, c, d] = [noun(), noun(), noun(), noun()]
  const n = () => Math.floor(random() * 100)
  const shapes = [
    () =>
      `    // ${prose(random, 6)}\n    let ${a} = ${b}.iter().filter(|${c}| **${c} > ${n()}).count() as i64;`,
    () =>
      `    for (${a}, ${b}) in ${c}.iter().enumerate() {\n        ${d} += *${b} * ${n()} - ${a} as i64; // ${prose(random, 3)}\n    }`,
    () => `    if ${a} < ${n()} && ${b}.len() != ${n()} {\n        return ${c} + ${n()};\n    }`,
    () =>
      `    while ${a} > ${b} {\n        ${a} = (${a} - ${c}) / ${n() + 2};\n        ${d} = ${d}.max(${a});\n    }`,
    () =>
      `    match ${a} % ${n() + 2} {\n        0 => ${b} += ${n()},\n        1 | 2 => ${c} -= ${d},\n        _ => ${b} = ${c} ^ ${n()},\n    }`,
    () =>
      `    let ${a}: Vec<i64> = ${b}.windows(2).map(|${c}| ${c}[1] - ${c}[0]).collect(); /* ${prose(random, 4)} */`,
    () => `    ${a}.sort_by_key(|${b}| (${b}.${c}, std::cmp::Reverse(${b}.${d})));`,
  ]
  return pick(random, shapes)()
}

/** What everybody writes alike but for the names: constructors, formatting, getters, conversions, comparisons. */
export function inventBoilerplate(random: Random): { text: string; body: string } {
  // Numbered, so that two of a shape are never the same by chance.
  const noun = () => `${pick(random, nouns)}_${Math.floor(random() * 1e6)}`
  const type = () => noun().replace(/^./, (letter) => letter.toUpperCase())
  const [a, b, c, d] = [noun(), noun(), noun(), noun()]
  const [A, B, C] = [type(), type(), type()]
  const shapes = [
    `{\n    Self {\n        ${a},\n        ${b}: Vec::new(),\n        ${c}: None,\n        ${d}: 0,\n    }\n}`,
    `{\n    match self {\n        ${A}::${B} => write!(f, "${a}"),\n        ${A}::${C} => write!(f, "${b}"),\n        ${A}::Other(${c}) => write!(f, "${d}: {}", ${c}),\n    }\n}`,
    `{\n    let mut ${a} = std::env::args().skip(1);\n    while let Some(${b}) = ${a}.next() {\n        match ${b}.as_str() {\n            "--${c}" => options.${c} = true,\n            "--${d}" => options.${d} = ${a}.next(),\n            _ => return Err(format!("unknown {}", ${b})),\n        }\n    }\n    Ok(options)\n}`,
    `{\n    f.debug_struct("${A}")\n        .field("${a}", &self.${a})\n        .field("${b}", &self.${b})\n        .field("${c}", &self.${c})\n        .finish()\n}`,
    `{\n    let mut low = 0;\n    let mut high = ${a}.len();\n    while low < high {\n        let mid = low + (high - low) / 2;\n        if ${a}[mid] < ${b} {\n            low = mid + 1;\n        } else {\n            high = mid;\n        }\n    }\n    low\n}`,
    `{\n    let mut file = File::open(${a})?;\n    let mut ${b} = String::new();\n    file.read_to_string(&mut ${b})?;\n    let ${c} = ${b}.lines().map(|${d}| ${d}.trim().to_string()).collect::<Vec<_>>();\n    Ok(${c})\n}`,
  ]
  const body = pick(random, shapes)
  return { body, text: `fn ${pick(random, verbs)}_${noun()}() ${body}\n` }
}

export const prose = (random: Random, words: number): string =>
  Array.from({ length: words }, () => pick(random, nouns)).join(' ')
