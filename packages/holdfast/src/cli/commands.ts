import type { Command } from 'commander';

interface CommandEntry {
  /** As the list of commands shows it. */
  readonly description: string;
  /** Each loads what it needs and no more: an agent runs on every node, and has no use for an embedded cluster. */
  readonly load: () => Promise<Command>;
}

/** Everything that `holdfast` can do, in the order in which people meet it. */
export const commands: Readonly<Record<string, CommandEntry>> = {
  status: {
    description:
      'show what is protected, which pods can be evicted now, which nodes can be drained, and whether the operator is healthy',
    load: async () => (await import('./status/status-command.ts')).statusCommand(),
  },
  explain: {
    description:
      'explain why a pod, a node or a budget may be disrupted now or not: every budget, every number, and what would help',
    load: async () => (await import('./explain/explain.ts')).explainCommand(),
  },
  drain: {
    description: 'cordon nodes and evict their pods as kubectl drain does, but group by group',
    load: async () => (await import('./drain/drain.ts')).drainCommand(),
  },
  uncordon: {
    description: 'let pods be scheduled to nodes again, after a drain',
    load: async () => (await import('./drain/nodes/uncordon.ts')).uncordonCommand(),
  },
  plan: {
    description: 'plan in which waves to drain nodes, in as few waves as the budgets allow',
    load: async () => (await import('./plan/plan-command.ts')).planCommand(),
  },
  lint: {
    description: 'find budgets, probes and annotations that do not do what they say, in manifests or in a cluster',
    load: async () => (await import('./lint/lint.ts')).lintCommand(),
  },
  simulate: {
    description:
      'play through a drain, the drain of a zone or an upgrade in virtual time, from a snapshot of a cluster',
    load: async () => (await import('./simulate/simulate.ts')).simulateCommand(),
  },
  ui: {
    description:
      'show nodes, budgets, drains and what a drain would do in a browser: a local, read-only page with your own rights',
    load: async () => (await import('./ui/ui.ts')).uiCommand(),
  },
  up: {
    description:
      'run a Kubernetes-compatible cluster with simulated nodes in this process, for kubectl and other clients',
    load: async () => (await import('./up/up.ts')).upCommand(),
  },
  install: {
    description: 'install Holdfast into a cluster, or upgrade an installation',
    load: async () => (await import('./install/install.ts')).installCommand(),
  },
  uninstall: {
    description: 'remove Holdfast from a cluster',
    load: async () => (await import('./install/uninstall.ts')).uninstallCommand(),
  },
  operator: {
    description:
      'decide by the budgets whether pods may be evicted, deleted or updated (this is what the Deployment runs)',
    load: async () => (await import('./operator.ts')).operatorCommand(),
  },
  agent: {
    description: 'run the disruption probes of the pods of a node (this is what the DaemonSet runs)',
    load: async () => (await import('./agent/agent.ts')).agentCommand(),
  },
  version: {
    description: 'print the version of this command',
    load: async () => (await import('./version.ts')).versionCommand(),
  },
  completion: {
    description: 'print a script that completes commands, options and names in your shell',
    load: async () => (await import('./completion/completion.ts')).completionCommand(),
  },
};

/** Names that every object inherits are no commands. */
export function commandNamed(name: string): CommandEntry | undefined {
  return Object.hasOwn(commands, name) ? commands[name] : undefined;
}
