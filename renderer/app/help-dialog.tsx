import { Legend } from '../components/marks/legend.tsx'
import { gradedStatuses, ungradedStatuses } from '../components/marks/status-info.ts'
import { Dialog } from '../components/ui/dialog.tsx'
import { Kbd } from '../components/ui/kbd.tsx'
import { keyCaps, useKeyGroups } from './keys.ts'

/** Every key that works here and what every mark means. */
export function HelpDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const groups = useKeyGroups((state) => state.groups)
  return (
    <Dialog open={open} onClose={onClose} title="Keys and marks" width={680}>
      <div className="help-groups">
        {groups.toReversed().map((group) => (
          <section key={group.id}>
            <h3>{group.name}</h3>
            <dl>
              {group.bindings.map((binding) => (
                <div key={binding.keys}>
                  <dt>{binding.label}</dt>
                  <dd>
                    <Kbd caps={keyCaps(binding)} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <h3 className="help-marks">Marks</h3>
      <Legend label="Graded statuses" entries={gradedStatuses.map((status) => ({ status }))} />
      <p className="dim help-note">
        Hollow rings carry no reward. They never count as 0 and stop the update:
      </p>
      <Legend label="Statuses without a reward" entries={ungradedStatuses.map((status) => ({ status }))} />
    </Dialog>
  )
}
