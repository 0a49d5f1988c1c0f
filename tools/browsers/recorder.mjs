/**
 * Runs in a page, or a worker, before all else: keeps what goes to the console
 * and what nobody caught, for WebKit, whose driver tells neither. A page has the
 * list in `__recordedConsole`; workers send theirs to it.
 */
export function recorder() {
  const inPage = typeof document !== 'undefined';
  const channel = new BroadcastChannel('recorded-console');
  const entries = [];
  const add = inPage ? (entry) => entries.push(entry) : (entry) => channel.postMessage(entry);
  if (inPage) {
    Object.defineProperty(globalThis, '__recordedConsole', { value: entries });
    channel.onmessage = ({ data }) => entries.push(data);
  }
  const words = (value) => {
    if (value instanceof Error) return `${value.name}: ${value.message}\n${value.stack}`;
    return typeof value === 'string' ? value : String(value);
  };
  for (const [method, level] of [
    ['debug', 'debug'],
    ['log', 'log'],
    ['info', 'info'],
    ['warn', 'warning'],
    ['error', 'error'],
  ]) {
    const original = console[method];
    console[method] = (...values) => {
      add({ level, text: values.map(words).join(' ') });
      original.apply(console, values);
    };
  }
  addEventListener(
    'error',
    (event) => {
      // Without a message it is an element whose file could not be loaded.
      const text = event.message ?? `could not load ${event.target?.src ?? event.target?.href}`;
      add({ level: 'error', text: `${text} (${event.filename ?? location.href}:${event.lineno})` });
    },
    true,
  );
  addEventListener('unhandledrejection', ({ reason }) =>
    add({ level: 'error', text: `unhandled rejection: ${words(reason)}` }),
  );
  addEventListener('securitypolicyviolation', (event) =>
    add({ level: 'error', text: `policy: ${event.violatedDirective} forbids ${event.blockedURI}` }),
  );
}
