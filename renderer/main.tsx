import { mount } from './app/mount.tsx'
import { createBridge } from './bridge/bridge.ts'

const root = document.getElementById('root')
if (root) mount(createBridge(), root)
