import { Suspense } from 'react'
import { Toaster } from 'sonner'
import { Loading } from '../components/ui/states.tsx'
import { useTheme } from '../theme/theme.ts'
import './app.css'
import { ErrorBoundary } from './error-boundary.tsx'
import { Footer } from './footer.tsx'
import { GlobalKeys } from './global-keys.tsx'
import { LostBanner } from './lost-banner.tsx'
import { Rail } from './rail.tsx'
import { useRoute } from './router.ts'
import { viewComponents } from './views.ts'

/** The window: rail, header, the view, footer, and what lies above them. */
export function App() {
  const route = useRoute()
  const View = viewComponents[route.view]
  const theme = useTheme((state) => state.name)
  return (
    <div className="app">
      <button type="button" className="skip-link" onClick={focusMain}>
        Skip to content
      </button>
      <Rail />
      <header className="header" id="header-slot" />
      <main className="main" id="main" tabIndex={-1}>
        <LostBanner />
        <ErrorBoundary key={route.view}>
          <Suspense fallback={<Loading what="the view" />}>
            <View />
          </Suspense>
        </ErrorBoundary>
      </main>
      <Footer />
      <GlobalKeys />
      <Toaster theme={theme} position="bottom-right" visibleToasts={4} offset={{ bottom: 38, right: 14 }} />
    </div>
  )
}

function focusMain(): void {
  document.getElementById('main')?.focus()
}
