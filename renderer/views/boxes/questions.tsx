import { type FormEvent, useState } from 'react'
import type { HostKeyQuestion as Question } from '#shared/domain/box.ts'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { trustKey, unlockKey } from '../../stores/boxes.ts'

/** An unknown key is asked about; a changed one is blocked, with both fingerprints and one explicit way on. */
export function HostKeyQuestion({ box, question }: { box: string; question: Question }) {
  const [asking, setAsking] = useState(false)
  const { hop, name, type, fingerprint, known, changed } = question
  return (
    <section className={changed ? 'host-key host-key-changed' : 'host-key'} aria-label="Host key">
      <h3>{changed ? `The key of ${hop} changed. Nothing was sent.` : `${hop} is not known yet.`}</h3>
      <dl>
        <dt>it offers</dt>
        <dd className="mono">
          {type} {fingerprint}
        </dd>
        {known.map((one) => (
          <div key={one.where}>
            <dt>on record</dt>
            <dd className="mono">
              {one.type} {one.fingerprint} <span className="dim">{one.where}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="dim">
        {changed
          ? 'Either a new machine has the old address, as happens with rented ones, or somebody stands in between. Compare the fingerprint with the one that its owner or console shows.'
          : 'Compare the fingerprint with the one that the machine’s owner or console shows.'}
      </p>
      <Button
        look={changed ? 'danger' : 'primary'}
        onClick={() => (changed ? setAsking(true) : void trustKey(box, fingerprint))}
      >
        {changed ? 'New box, new key' : 'It is the same: trust it'}
      </Button>
      <ConfirmDialog
        open={asking}
        title="New box, new key"
        action="Trust the new key"
        danger
        onConfirm={() => void trustKey(box, fingerprint)}
        onClose={() => setAsking(false)}
      >
        <p>
          {name} will be known by the new key, and the old one will be refused from now on, also where another
          file still lists it.
        </p>
        <p className="mono">{fingerprint}</p>
      </ConfirmDialog>
    </section>
  )
}

export function PassphraseQuestion({
  box,
  file,
  fault,
}: {
  box: string
  file: string
  fault: string | null
}) {
  const [passphrase, setPassphrase] = useState('')
  const unlock = (event: FormEvent) => {
    event.preventDefault()
    void unlockKey(box, passphrase)
    setPassphrase('')
  }
  return (
    <form className="add-box" onSubmit={unlock}>
      <Field label={`Passphrase of ${file}`} about="kept in memory until the console closes" fault={fault}>
        {(ids) => (
          <input
            {...ids}
            type="password"
            value={passphrase}
            autoComplete="off"
            onChange={(event) => setPassphrase(event.target.value)}
          />
        )}
      </Field>
      <Button type="submit" look="primary" disabled={passphrase === ''}>
        Unlock
      </Button>
    </form>
  )
}
