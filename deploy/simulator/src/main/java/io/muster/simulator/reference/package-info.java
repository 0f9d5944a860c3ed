/**
 * Published policies, written anew to have something to compare with: shortest remaining service
 * first, two-dimensional least attained service, and a fixed line. They count devices, not nodes,
 * and decide nothing in Muster. Pure.
 */
package io.muster.simulator.reference;
