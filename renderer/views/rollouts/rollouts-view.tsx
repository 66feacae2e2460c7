import { Empty } from '../../components/ui/states.tsx'

export function RolloutsView() {
  return <Empty title="Rollouts" />
}
