/** {@code muster simulate}: traces of gangs replayed through Muster's own decisions. */
package io.muster.simulator;
