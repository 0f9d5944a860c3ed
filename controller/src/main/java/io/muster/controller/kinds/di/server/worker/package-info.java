/** The calls: workers and tasks that jobs ask for, look up and give back. */
package io.muster.controller.kinds.di.server.worker;
