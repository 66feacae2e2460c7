import type { ComponentProps } from 'react'
import './ui.css'

type Props = ComponentProps<'button'> & { look?: 'plain' | 'primary' | 'danger' | 'quiet' }

export function Button({ look = 'plain', className = '', ...rest }: Props) {
  return <button type="button" className={`button button-${look} ${className}`} {...rest} />
}

/** A link that looks like a button: for what goes somewhere. */
export function ButtonLink({ look = 'plain', ...rest }: ComponentProps<'a'> & Pick<Props, 'look'>) {
  return <a className={`button button-${look}`} {...rest} />
}
