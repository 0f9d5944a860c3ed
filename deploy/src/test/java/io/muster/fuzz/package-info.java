/** Hostile inputs for everything that Muster reads, made from good ones by a seed. */
package io.muster.fuzz;
