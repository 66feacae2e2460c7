import { Empty } from '../../components/ui/states.tsx'

export function AuditView() {
  return <Empty title="Audit" />
}
