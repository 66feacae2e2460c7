import { Empty } from '../../components/ui/states.tsx'

export function LiveView() {
  return <Empty title="Live" />
}
