package io.muster.extender.core.protocol;

/**
 * What is known of a gang's members when another one is made. Immutable.
 *
 * @param members of it and of the gangs that start with it, at least 1
 * @param minAvailable stated first, so in force; 0 while none states usable terms
 * @param schedulerName that they name
 */
public record Siblings(int members, int minAvailable, String schedulerName) {}
