import ssh2 from 'ssh2'

// A CommonJS package whose names Node cannot see beforehand.
export const { Client, utils } = ssh2
export type {
  AnyAuthMethod,
  AuthHandlerMiddleware,
  Client as Ssh2Client,
  ConnectConfig,
} from 'ssh2'
