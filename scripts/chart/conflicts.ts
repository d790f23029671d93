/** What no schema can say, in the words of `holdfast install` (packages/holdfast/src/install/values/read-values.ts); a test compares them. */
const conflicts: readonly (readonly [broken: string, text: string])[] = [
  [
    'eq $.Release.Namespace "kube-system"',
    'namespace: Invalid value: "kube-system": must be a namespace of its own: kube-system is never guarded, and never ours',
  ],
  [
    'eq $.Release.Namespace "default"',
    'namespace: Invalid value: "default": must be a namespace of its own, because it is never guarded',
  ],
  [
    'eq $.Release.Namespace "holdfast-agents"',
    'namespace: Invalid value: "holdfast-agents": must be another: that one holds the leases of the agents, and nothing else',
  ],
  [
    'and (eq $.Values.certificates.source "secret") (not $.Values.certificates.secretName)',
    'certificates.secretName: Required value: names the Secret with tls.crt and tls.key',
  ],
  [
    'and (eq $.Values.certificates.source "secret") (not $.Values.webhook.caBundle)',
    'webhook.caBundle: Required value: API servers must know whom to trust',
  ],
  [
    'and (ne $.Values.certificates.source "secret") $.Values.certificates.secretName',
    'certificates.secretName: Forbidden: goes with certificates.source "secret" only',
  ],
  [
    'and (ne $.Values.certificates.source "secret") $.Values.webhook.caBundle',
    'webhook.caBundle: Forbidden: goes with certificates.source "secret" only; otherwise it is filled in',
  ],
  [
    'and (kindIs "map" $.Values.webhook.clientCertificates) (not (dig "secretName" "" $.Values.webhook.clientCertificates))',
    'webhook.clientCertificates.secretName: Required value: names the Secret whose ca.crt signs the certificates of API servers',
  ],
  [
    'and (kindIs "map" $.Values.webhook.clientCertificates) (not (dig "names" list $.Values.webhook.clientCertificates))',
    'webhook.clientCertificates.names: Required value: an authority may sign certificates of others, too',
  ],
  [
    'and (kindIs "slice" $.Values.webhook.bearer) (not $.Values.webhook.bearer)',
    'webhook.bearer: Required value: names the users that API servers are',
  ],
  [
    'and (eq $.Values.webhook.failurePolicy "Fail") (lt (int $.Values.replicas) 2)',
    'replicas: Invalid value: 1: must be at least 2 while webhook.failurePolicy is Fail: a restart would refuse requests',
  ],
];

/** A template that renders nothing, or fails with everything that is wrong. */
export function conflictsTemplate(): string {
  const checks = conflicts.map(
    ([broken, text]) => `{{- if ${broken} }}\n{{- $wrong = append $wrong ${JSON.stringify(text)} }}\n{{- end }}`,
  );
  const fail =
    '{{- if $wrong }}\n{{- fail (printf "these values cannot be installed:\\n  %s" (join "\\n  " $wrong)) }}\n{{- end }}';
  return ['{{- $wrong := list }}', ...checks, fail, ''].join('\n');
}
