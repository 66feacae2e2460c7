import { Empty } from '../../components/ui/states.tsx'

export function RunsView() {
  return <Empty title="Runs" />
}
