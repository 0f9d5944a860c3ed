/** End-to-end tests: a real control plane, Muster as a process of its own, kubectl's view. */
package io.muster.e2e;
