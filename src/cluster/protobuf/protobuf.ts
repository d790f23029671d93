import { unsupportedMediaType } from '../errors.ts';

export const protobufMediaType = 'application/vnd.kubernetes.protobuf';

export function decodeProtobuf(_bytes: Buffer): unknown {
  throw unsupportedMediaType(['application/json', 'application/yaml']);
}
