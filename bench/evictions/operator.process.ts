// One replica: the command that the Deployment runs, with its arguments, as if in a pod: others register its webhooks.
process.env['POD_NAME'] = `bench-${process.pid}`;
process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
await import('../../packages/holdfast/src/cli/main.ts');
// The channel to the parent would keep a process alive that could not start.
process.exit();
