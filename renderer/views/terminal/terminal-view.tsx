import { Empty } from '../../components/ui/states.tsx'

export function TerminalView() {
  return <Empty title="Terminal" />
}
