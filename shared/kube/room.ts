import { parseQuantity } from './quantity.ts'

export const roomKinds = ['cpu', 'memory', 'ephemeral-storage'] as const
export type RoomKind = (typeof roomKinds)[number]
export type Amounts = Partial<Record<RoomKind, string>>

export type NodeRoom = { node: string; schedulable: boolean; free: Record<RoomKind, number> }

/**
 * What is left on a node: what it may give less what its pods asked for. Of the pods' containers, in whole units (cores, bytes).
 * What a node does not list it has nothing of, and what a pod does not ask for it needs nothing of: so the scheduler reads both.
 * @param requests one entry a container on the node.
 */
export function roomOn(
  node: { name: string; schedulable: boolean; allocatable: Amounts },
  requests: Amounts[],
): NodeRoom {
  const free = (kind: RoomKind) =>
    (parseQuantity(node.allocatable[kind] ?? '') ?? 0) -
    requests.reduce((sum, request) => sum + (parseQuantity(request[kind] ?? '0') ?? 0), 0)
  return {
    node: node.name,
    schedulable: node.schedulable,
    free: { cpu: free('cpu'), memory: free('memory'), 'ephemeral-storage': free('ephemeral-storage') },
  }
}

/**
 * How many pods of `wanted` find a place, each on the first node that has room for it whole.
 * @returns what was short on the node that came closest, where not all do.
 */
export function placesFor(
  rooms: NodeRoom[],
  wanted: Amounts,
  count: number,
): { placed: number; short: { node: string; kind: RoomKind; free: number; wanted: number } | null } {
  const need = Object.fromEntries(
    roomKinds.map((kind) => [kind, parseQuantity(wanted[kind] ?? '0') ?? 0]),
  ) as Record<RoomKind, number>
  const left = rooms.filter((room) => room.schedulable).map((room) => ({ ...room, free: { ...room.free } }))
  const lacks = (room: NodeRoom) => roomKinds.filter((kind) => room.free[kind] < need[kind])
  let placed = 0
  for (; placed < count; placed += 1) {
    const fits = left.find((room) => lacks(room).length === 0)
    if (!fits) break
    for (const kind of roomKinds) fits.free[kind] -= need[kind]
  }
  if (placed === count) return { placed, short: null }
  const closest = [...left].sort((a, b) => lacks(a).length - lacks(b).length)[0]
  const kind = closest && lacks(closest)[0]
  return {
    placed,
    short:
      closest && kind ? { node: closest.node, kind, free: closest.free[kind], wanted: need[kind] } : null,
  }
}
