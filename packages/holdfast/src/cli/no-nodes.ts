import { Problem } from '../observe/problem.ts';

/** The words of every command that drains nodes, for a choice of nodes that has none. */
export function noNodeHas(selector: string): Problem {
  return new Problem(`no node has the labels ${selector}`, 'kubectl get nodes --show-labels shows them.');
}

export function noSuchNodes(names: readonly string[]): Problem {
  const words = names.length === 1 ? `node ${names[0]} does not exist` : `nodes ${names.join(', ')} do not exist`;
  return new Problem(words, 'kubectl get nodes lists them.');
}

export function noNodesAtAll(where: string): Problem {
  return new Problem(`${where} has no nodes`, 'A snapshot needs nodes, or pods that name their node (spec.nodeName).');
}
