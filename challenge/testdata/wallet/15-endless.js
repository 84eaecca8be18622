(api) => { for (;;) {} }
