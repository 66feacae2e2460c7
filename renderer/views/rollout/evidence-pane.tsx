import { useState } from 'react'
import type { RolloutDetail } from '#shared/ipc/contract.ts'
import { CodeView } from '../../components/code/code-view.tsx'
import { Copyable } from '../../components/code/copyable.tsx'
import { Segments } from '../../components/rollout/facts.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Failure, Loading } from '../../components/ui/states.tsx'
import { useRequest } from '../../stores/use-request.ts'
import { sha256Hex } from './sha256.ts'

type Which = 'training' | 'audit'

/** The evidence exactly as stored, under its hash, which can be computed anew here. */
export function EvidencePane({ detail }: { detail: RolloutDetail }) {
  const hashes: Record<Which, string | null> = {
    training: detail.row.evidenceSha256,
    audit: detail.auditGrade?.evidenceSha256 ?? null,
  }
  const [which, setWhich] = useState<Which>(hashes.training === null ? 'audit' : 'training')
  const sha256 = hashes[which]
  if (hashes.training === null && hashes.audit === null) {
    return <p className="pane-note dim">There is no evidence: no verifier has answered for this rollout.</p>
  }
  return (
    <>
      <div className="pane-bar">
        <Segments
          label="Evidence of"
          value={which}
          onChange={setWhich}
          options={[
            { value: 'training', label: 'training grade', disabled: hashes.training === null },
            { value: 'audit', label: 'audit grade', disabled: hashes.audit === null },
          ]}
        />
        {sha256 === null ? null : <Copyable value={sha256} name="evidence sha256" length={20} />}
      </div>
      {sha256 === null ? null : <Stored key={sha256} sha256={sha256} />}
    </>
  )
}

type Check =
  | { state: 'not yet' | 'running' }
  | { state: 'equal' | 'different'; computed: string; bytes: number }

function Stored({ sha256 }: { sha256: string }) {
  const stored = useRequest('evidence.get', { sha256 })
  const [check, setCheck] = useState<Check>({ state: 'not yet' })
  const [form, setForm] = useState<'stored' | 'indented'>('indented')
  if (stored.error !== null) {
    return (
      <Failure
        error={stored.error}
        meaning="The grade stands; the evidence behind it cannot be shown."
        onRetry={stored.reload}
      />
    )
  }
  if (stored.value === null) return <Loading what="the evidence" />
  const { json } = stored.value
  const verify = async () => {
    setCheck({ state: 'running' })
    const computed = await sha256Hex(json)
    const bytes = new TextEncoder().encode(json).length
    setCheck({ state: computed === sha256 ? 'equal' : 'different', computed, bytes })
  }
  return (
    <>
      <div className="pane-bar">
        <Button onClick={() => void verify()} disabled={check.state === 'running'}>
          Verify bytes
        </Button>
        <span role="status">
          <Verdict check={check} />
        </span>
        <Segments
          label="Form"
          value={form}
          onChange={setForm}
          options={[
            { value: 'indented', label: 'indented' },
            { value: 'stored', label: 'as stored' },
          ]}
        />
      </div>
      <CodeView text={form === 'stored' ? json : indented(json)} language="text" label="evidence JSON" />
    </>
  )
}

function Verdict({ check }: { check: Check }) {
  if (check.state === 'equal') {
    return <span className="good">● {check.bytes.toLocaleString('en')} bytes hash to their name</span>
  }
  if (check.state === 'different') {
    return <span className="bad">✕ the bytes hash to {check.computed.slice(0, 12)}…, not to their name</span>
  }
  return null
}

/** For reading only; the hash is over the stored form. Text that is no JSON is shown as it is. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2)
  } catch {
    return json
  }
}
