/** How names are checked, in the form that a strategy wants: the first thing that is wrong, or nothing. */

import { dnsLabelProblems, dnsSubdomainProblems } from './syntax.ts';

export type NameProblem = (name: string) => string | undefined;

export const dnsSubdomainName: NameProblem = (name) => dnsSubdomainProblems(name)[0];
export const dnsLabelName: NameProblem = (name) => dnsLabelProblems(name)[0];
