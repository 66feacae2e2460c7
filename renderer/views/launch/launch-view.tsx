import { Empty } from '../../components/ui/states.tsx'

export function LaunchView() {
  return <Empty title="Launch" />
}
