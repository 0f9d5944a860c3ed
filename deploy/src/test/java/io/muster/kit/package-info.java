/**
 * What plays the containers of fake pods in end-to-end tests of job kinds: scripts in annotations,
 * logs, and launchers that really run, each in namespaces of its own. Needs a sandbox that plays
 * scripts; what the annotations mean stands in {@code deploy/sandbox/kit/README.md}.
 */
package io.muster.kit;
