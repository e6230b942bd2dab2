import fc from 'fast-check';

// One failure kills a mutant; nobody reads the smallest one.
fc.configureGlobal({ ...fc.readConfigureGlobal(), endOnFailure: true });
