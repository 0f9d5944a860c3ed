/** What kube-scheduler needs to ask Muster: its configuration, and the files of its certificate. */
package io.muster.deploy.scheduler;
