// An image as the Open Container Initiative describes it, as a set of files: https://specs.opencontainers.org/image-spec/
import { createHash } from 'node:crypto';
import { tar } from './tar.mjs';

const media = (kind) => `application/vnd.oci.image.${kind}`;
/** Part of the image's digest: the time of the build would make every build another image. */
const created = '1970-01-01T00:00:00Z';

/**
 * @param layers each the files of one layer, the lowest first
 * @param about `{ name, version, platform, config }`
 * @returns the files of an image layout, by path
 */
export function imageLayout(layers, { name, version, platform, config }) {
  const blobs = {};
  const blob = (contents, mediaType) => {
    const digest = createHash('sha256').update(contents).digest('hex');
    blobs[`blobs/sha256/${digest}`] = { contents, mode: 0o644 };
    return { mediaType, digest: `sha256:${digest}`, size: contents.length };
  };
  // Not compressed: what compresses differs from one Node to the next, and so would the digests.
  const tars = layers.map((files) => blob(tar(files), media('layer.v1.tar')));
  const rootfs = { type: 'layers', diff_ids: tars.map(({ digest }) => digest) };
  const image = { created, architecture: platform, os: 'linux', config, rootfs };
  const manifest = {
    schemaVersion: 2,
    mediaType: media('manifest.v1+json'),
    config: blob(json(image), media('config.v1+json')),
    layers: tars,
  };
  const described = {
    ...blob(json(manifest), media('manifest.v1+json')),
    platform: { architecture: platform, os: 'linux' },
    annotations: { 'org.opencontainers.image.ref.name': version, 'io.containerd.image.name': `${name}:${version}` },
  };
  const index = { schemaVersion: 2, mediaType: media('index.v1+json'), manifests: [described] };
  return {
    ...blobs,
    'oci-layout': { contents: json({ imageLayoutVersion: '1.0.0' }), mode: 0o644 },
    'index.json': { contents: json(index), mode: 0o644 },
  };
}

function json(value) {
  return Buffer.from(JSON.stringify(value));
}
