import { counted } from '../../api/wording.ts';

const needs = /^(PDB|PUB) (\S+) needs (\d+) available (pod|group)s? and has (\d+)(?: of (\d+))?/;
const never = /^(PDB|PUB) (\S+) (requires [^;]*), so waiting does not help[^;]*(?:; ([^;]*))?/;
const builtIn = /^The disruption budget (\S+) needs (\d+) healthy pods and has (\d+) currently/;

/** The numbers of a refusal first, so that a narrow screen shows them. A refusal of another kind stays as it is. */
export function shortReason(message: string): string {
  const numbers = needs.exec(message);
  if (numbers !== null) {
    const [, kind = '', name, needed, unit = 'pod', up, expected] = numbers;
    const has = expected === undefined ? counted(Number(up), unit) : `${up} of ${counted(Number(expected), unit)}`;
    return `${kind.toLowerCase()}/${name}: ${has} up, needs ${needed}`;
  }
  const stuck = never.exec(message);
  if (stuck !== null) {
    const [, kind = '', name, why, remedy] = stuck;
    const first = remedy === undefined ? '' : `${remedy}; `;
    return `${kind.toLowerCase()}/${name}: ${first}it ${why}`;
  }
  const plain = builtIn.exec(message);
  if (plain === null) return message;
  const [, name, needed, healthy] = plain;
  return `pdb/${name}: ${counted(Number(healthy), 'pod')} up, needs ${needed}`;
}
