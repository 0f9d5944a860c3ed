/**
 * What a platform team can set, where it comes from, and what is wrong with it; and what commands
 * have in common.
 */
package io.muster.deploy.config;
