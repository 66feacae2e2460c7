import { termSpans } from '#shared/rollouts/filter.ts'

type Props = { line: string; fault: { from: number; to: number } | null; scroll: number }

/** The line's text under the transparent input, with field names coloured and the term at fault underlined. */
export function Painted({ line, fault, scroll }: Props) {
  const pieces: { text: string; kind: string; from: number }[] = []
  let at = 0
  for (const term of termSpans(line)) {
    if (term.from > at) pieces.push({ text: line.slice(at, term.from), kind: '', from: at })
    const wrong = fault !== null && fault.from <= term.from && term.to <= fault.to ? ' wrong' : ''
    const head = /^-?[a-z]+(?::|<=|>=|!=|<|>|=)/.exec(term.text)?.[0] ?? ''
    if (head !== '') pieces.push({ text: head, kind: `head${wrong}`, from: term.from })
    pieces.push({ text: term.text.slice(head.length), kind: `tail${wrong}`, from: term.from + head.length })
    at = term.to
  }
  pieces.push({ text: line.slice(at), kind: '', from: at })
  return (
    <div className="filter-painted" aria-hidden="true">
      <span style={{ transform: `translateX(${-scroll}px)` }}>
        {pieces.map((piece) => (
          <span key={piece.from} className={piece.kind}>
            {piece.text}
          </span>
        ))}
      </span>
    </div>
  )
}
