/** What a platform team can set, where it comes from, and what is wrong with it. */
package io.muster.deploy.config;
