import { parseDocument } from 'yaml';
const [,, kind, n0] = process.argv; const n=Number(n0);
const mk: Record<string,(n:number)=>string> = {
 open:n=>'['.repeat(n), brace:n=>'{'.repeat(n), closed:n=>'['.repeat(n)+']'.repeat(n), pair:n=>'{a: '.repeat(n), q:n=>'? '.repeat(n), dash:n=>'- '.repeat(n), dashx:n=>'- '.repeat(n)+'x', amp:n=>'&a '.repeat(n), tag:n=>'!a '.repeat(n), colon:n=>'a: '.repeat(n), colon2:n=>': '.repeat(n), star:n=>'*a '.repeat(n), pct:n=>'%a\n'.repeat(n), nl:n=>'\n'.repeat(n), quotes:n=>'"'.repeat(n), docs:n=>'---\n'.repeat(n), com:n=>'#\n'.repeat(n), comma:n=>'['+','.repeat(n), keys:n=>Array.from({length:n},(_,i)=>`${i}:`).join('\n'), bar:n=>'a: |\n'.repeat(n), mix:n=>'- ? '.repeat(n), };
const s=performance.now(); let r='';
try { const d=parseDocument(mk[kind]!(n),{logLevel:'error',prettyErrors:false}); r='errors '+d.errors.length; d.toJS({maxAliasCount:0}); } catch(e) { r='threw '+(e as Error).message.slice(0,50); }
console.log(kind,n,r,(performance.now()-s).toFixed(0)+'ms');
