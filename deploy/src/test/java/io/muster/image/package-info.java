/**
 * Muster's container image, made without a container engine and without root, and what tests need
 * to start what is in it. It is no part of the shipped program.
 */
package io.muster.image;
