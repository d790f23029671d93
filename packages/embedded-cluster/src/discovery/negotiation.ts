import type { AggregatedVersion } from './aggregated.ts';

/** Which of the forms of a document a client wants, by its Accept header. */

interface MediaRange {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** Longer headers say nothing more; clients send three or four ranges. */
const maxRanges = 64;

export function plainOrAggregated(accept: string | undefined): 'plain' | AggregatedVersion | undefined {
  for (const range of mediaRanges(accept)) {
    if (!coversJson(range)) continue;
    const as = range.parameters.get('as');
    if (as === undefined) return 'plain';
    const version = range.parameters.get('v');
    const aggregated = as === 'APIGroupDiscoveryList' && range.parameters.get('g') === 'apidiscovery.k8s.io';
    if (aggregated && (version === 'v2' || version === 'v2beta1')) return version;
  }
  return undefined;
}

export type SwaggerForm = 'json' | 'protobuf';

/** As the document is called today; clients still ask for it under its old name, too. */
export const swaggerProtobufType = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const oldSwaggerProtobufType = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

/** The form of `/openapi/v2`. */
export function swaggerForm(accept: string | undefined): SwaggerForm | undefined {
  for (const range of mediaRanges(accept)) {
    if (coversJson(range)) return 'json';
    if (range.type === swaggerProtobufType || range.type === oldSwaggerProtobufType) return 'protobuf';
  }
  return undefined;
}

function coversJson({ type }: MediaRange): boolean {
  return type === 'application/json' || type === 'application/*' || type === '*/*';
}

function mediaRanges(accept: string | undefined): MediaRange[] {
  const header = accept === undefined || accept.trim() === '' ? '*/*' : accept;
  return header
    .split(',', maxRanges)
    .map(parseRange)
    .filter(({ quality }) => quality > 0)
    .sort((a, b) => b.quality - a.quality);
}

function parseRange(text: string): MediaRange {
  const [type = '', ...pairs] = text.split(';').map((part) => part.trim());
  const parameters = new Map(
    pairs.map((pair) => {
      const [name = '', value = ''] = pair.split('=', 2);
      return [name.trim().toLowerCase(), value.trim()];
    }),
  );
  const quality = Number(parameters.get('q') ?? '1');
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
}
