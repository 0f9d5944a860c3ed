/**
 * A real Kubernetes control plane with fake nodes, started as plain processes on loopback: for the
 * end-to-end tests, the demo and the {@code sandbox} command. No product code depends on it.
 */
package io.muster.sandbox;
