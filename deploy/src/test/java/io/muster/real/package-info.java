/**
 * What is behind {@code deploy/real-clients}: real launchers in place of stand-ins, driven by real
 * ScaleIn and ScaleOut objects, and DLRover's own master.
 */
package io.muster.real;
