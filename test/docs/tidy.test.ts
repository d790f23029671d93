import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

interface Banned {
  readonly word: string;
  readonly instead: string;
}

const noActor = 'name the actor: "no agent", "no client"';
const someActor = 'name the actor: "another replica", "the client that ..."';
const allActors = 'name the actors: "every replica", "all clients"';

/**
 * Words that hide who acts, and a few that readers stumble over. A reader of "a lease that nobody renews" cannot tell whether the agent, the leader or a client
 * should have renewed it.
 */
const banned: readonly Banned[] = [
  ...['nobody', 'no one'].map((word) => ({ word, instead: noActor })),
  ...['somebody', 'someone', 'anybody', 'anyone', 'whoever', 'whomever'].map((word) => ({ word, instead: someActor })),
  ...['everybody', 'everyone'].map((word) => ({ word, instead: allActors })),
  { word: 'anew', instead: '"again"' },
  { word: 'for ever', instead: '"forever", or how long' },
  { word: 'for who', instead: 'name the reader: "for operators"' },
];

/** Pictures that only their author sees. In names, too, so these are looked for in the sources of packages and in docs. */
const privateMetaphors: readonly Banned[] = [
  { word: 'desk', instead: 'the pods that the agent probes' },
  { word: 'deaf', instead: '"unsubscribed"' },
  { word: 'heritage', instead: 'the previous lease' },
  { word: 'heir', instead: '"successor"' },
  { word: 'nudge', instead: '"wake", "signal"' },
  { word: 'purse', instead: "a budget's allowance" },
  { word: 'surrounding', instead: 'say what: the runtime, the context, the foreign webhooks' },
  { word: 'wish', instead: '"request", "options", "desired"' },
  { word: 'this life of', instead: '"since this process started"' },
  { word: 'in the mind', instead: '"in memory"' },
].flatMap((one) => [one, { ...one, word: `${one.word}s` }, { ...one, word: `${one.word}es` }]);

/** Whole folders, and single files of the root. */
const rooms: readonly string[] = [
  ...['packages', 'scripts', 'test', 'testbed', 'bench', 'docs', 'deploy', 'examples', '.ci'],
  ...readdirSync('.').filter((file) => /\.(md|ts|mjs|json)$/.test(file) && file !== 'package-lock.json'),
];

/** What is not read, and why. A path that is gone fails a test below, so that no exception outlives its reason. */
const leftOut: readonly { readonly path: string; readonly why: string }[] = [
  { path: 'test/docs/tidy.test.ts', why: 'it spells the words' },
  { path: 'bench/results', why: 'recorded output' },
  { path: 'packages/embedded-cluster/src/kinds/data', why: "Kubernetes' own descriptions, recorded" },
  { path: 'packages/embedded-cluster/src/protobuf/data', why: "Kubernetes' own messages, recorded" },
  { path: 'test/simulation', why: 'not rewritten yet' },
];

const readable = /\.(tsx?|css|html|mjs|md|json|ya?ml|sh|go|txt)$|Dockerfile|^\.ci\//;

function filesIn(room: string): readonly string[] {
  if (statSync(room).isFile()) return [room];
  return readdirSync(room, { recursive: true, encoding: 'utf8' })
    .map((file) => normalize(join(room, file)))
    .filter((file) => readable.test(file) && statSync(file).isFile());
}

function isLeftOut(file: string): boolean {
  return leftOut.some(({ path }) => file === path || file.startsWith(`${path}/`));
}

/** Places as `line: word (what to write)`. A phrase may go on in the next line of a comment. */
function bannedIn(text: string, words: readonly Banned[] = banned): readonly string[] {
  return words.flatMap(({ word, instead }) => {
    const pattern = new RegExp(`\\b${word.replaceAll(' ', '(?: |\\n[\\s*/#]*)')}\\b`, 'gi');
    return [...text.matchAll(pattern)].map(
      ({ index }) => `${text.slice(0, index).split('\n').length}: ${word} (${instead})`,
    );
  });
}

/** The words of names, each by itself: `limitWishes` is `limit Wishes`. Lines stay as they are. */
function wordsOfNames(text: string): string {
  return text.replace(/([a-z0-9])(?=[A-Z])/g, '$1 ').replaceAll('_', ' ');
}

describe('the words that hide who acts', () => {
  it.each(rooms.map((room) => ({ room })))('are not in $room', ({ room }) => {
    const found = filesIn(room)
      .filter((file) => !isLeftOut(file))
      .flatMap((file) => bannedIn(readFileSync(file, 'utf8')).map((place) => `${file}:${place}`));
    expect(found).toEqual([]);
  });

  it.each([
    ['at the start of a sentence', 'Nobody renews it.', ['1: nobody']],
    ['across the lines of a comment', '/**\n * A page for\n * who runs it.\n */', ['2: for who']],
    ['not as part of another word', 'for whom it may concern; renew', []],
  ])('are found %s', (_, text, want) => {
    expect(bannedIn(text).map((place) => place.replace(/ \(.*/, ''))).toEqual(want);
  });

  it.each(leftOut)('may be in $path, which exists: $why', ({ path }) => {
    expect(filesIn(path)).not.toEqual([]);
  });
});

describe('private metaphors', () => {
  const sources = readdirSync('packages')
    .map((name) => join('packages', name, 'src'))
    .filter((source) => existsSync(source));

  it.each(['docs', ...sources].map((room) => ({ room })))('are not in $room', ({ room }) => {
    const found = filesIn(room)
      .filter((file) => !isLeftOut(file))
      .flatMap((file) =>
        bannedIn(wordsOfNames(readFileSync(file, 'utf8')), privateMetaphors).map((place) => `${file}:${place}`),
      );
    expect(found).toEqual([]);
  });

  it.each([
    ['in a sentence', 'The heir waits.', ['1: heir']],
    ['in names', 'const a = 1;\nlimitWishes(purseOf);', ['2: purse', '2: wishes']],
    ['across the lines of a comment', '/** Of this life\n * of it. */', ['1: this life of']],
    ['not as part of another word', 'theirs; pursed; wishbone', []],
  ])('are found %s', (_, text, want) => {
    expect(bannedIn(wordsOfNames(text), privateMetaphors).map((place) => place.replace(/ \(.*/, ''))).toEqual(want);
  });
});
