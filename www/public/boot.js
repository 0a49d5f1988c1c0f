// Runs before the page's module, in browsers that can't run a module too: defines what scripts rely on, and says in
// plain words what stands in the way.
(() => {
  window.ringspawn = {
    schema: 'ringspawn.result/1',
    state: 'idle',
    error: null,
    results: [],
    done: new Promise((resolve) => {
      document.addEventListener(
        'ringspawn:done',
        (event) => {
          resolve(event.detail);
        },
        { once: true },
      );
    }),
  };

  function obstacle() {
    if (location.protocol === 'file:') {
      return 'This page was opened from a file, and browsers load no modules and no wasm from files. In the project run “npm start”, or in the folder of the built page “python3 -m http.server”, and open the address that it prints.';
    }
    if (typeof WebAssembly !== 'object') {
      return 'WebAssembly is switched off in this browser, so the actors can’t run. If this is Lockdown Mode, exclude this site from it (Settings, Privacy & Security, Lockdown Mode); otherwise use another browser.';
    }
    if (!('noModule' in document.createElement('script')) || typeof customElements !== 'object') {
      return 'This browser is too old for this page: it needs JavaScript modules and module workers (Chrome or Edge 80, Firefox 114, Safari 15, or newer).';
    }
    return null;
  }

  function show(sentence) {
    window.ringspawn.state = 'error';
    window.ringspawn.error = sentence;
    document.dispatchEvent(new CustomEvent('ringspawn:done', { detail: [] }));
    var place = document.getElementById('obstacle');
    if (place) {
      place.textContent = sentence;
    }
  }

  var sentence = obstacle();
  if (sentence !== null) {
    document.addEventListener('DOMContentLoaded', () => {
      show(sentence);
    });
    window.ringspawn.error = sentence;
    window.ringspawn.state = 'error';
  }
})();
