import fc from 'fast-check';

/** Every run tries the same examples, so that a change is judged by its own merits. HOLDFAST_SEED looks elsewhere. */
fc.configureGlobal({ seed: Number(process.env['HOLDFAST_SEED'] ?? 1) });
