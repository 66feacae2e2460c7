import { Monitor, Moon, Sun } from 'lucide-react'
import { chooseTheme } from '../stores/app.ts'
import { type ThemeChoice, useTheme } from '../theme/theme.ts'
import { href, useLastRun, useRoute, viewRoute } from './router.ts'
import { railViews } from './views.ts'

const themeCycle: Record<ThemeChoice, { next: ThemeChoice; icon: typeof Sun; label: string }> = {
  system: { next: 'dark', icon: Monitor, label: 'System' },
  dark: { next: 'light', icon: Moon, label: 'Dark' },
  light: { next: 'system', icon: Sun, label: 'Light' },
}

export function Rail() {
  const route = useRoute()
  const lastRun = useLastRun()
  const active = route.view === 'rollout' ? 'rollouts' : route.view
  const choice = useTheme((state) => state.choice)
  const { next, icon: ThemeIcon, label } = themeCycle[choice]
  return (
    <nav className="rail" aria-label="Views">
      <ul>
        {railViews.map(({ view, label, key, icon: Icon, about }) => (
          <li key={view} className={view === 'teardown' ? 'rail-last' : undefined}>
            <a
              href={href(viewRoute(view, lastRun))}
              aria-current={view === active ? 'page' : undefined}
              title={`${label}: ${about} (g ${key})`}
            >
              <Icon size={17} strokeWidth={1.7} aria-hidden />
              {label}
            </a>
          </li>
        ))}
      </ul>
      <button
        type="button"
        className="rail-theme"
        onClick={() => chooseTheme(next)}
        title={`Theme: ${label.toLowerCase()}. Next: ${next}.`}
        aria-label={`Theme: ${label.toLowerCase()}. Change to ${next}.`}
      >
        <ThemeIcon size={14} strokeWidth={1.7} aria-hidden />
        {label}
      </button>
    </nav>
  )
}
