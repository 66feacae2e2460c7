import { Empty } from '../../components/ui/states.tsx'

export function TeardownView() {
  return <Empty title="Teardown" />
}
