/**
 * Kills Muster and kube-scheduler at chosen moments, from outside, and looks what becomes of it.
 */
package io.muster.faults;
