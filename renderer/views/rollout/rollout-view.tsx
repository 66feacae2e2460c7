import { Empty } from '../../components/ui/states.tsx'

export function RolloutView() {
  return <Empty title="Rollout" />
}
